// Sequences out of a function that takes one step: `function @step` gives the logits of the next tokens, [rows,
// vocabulary] of `type`, and its states anew, `@step(%tokens, states, with) -> (logits, states)`. %tokens are the last
// ones, [rows] of the type of %first; `state %a, %b` are where the states begin, `with %c` what is the same in each
// step. Decoding ends where all rows have given the token `end` (one that is not in the vocabulary never comes), or
// after `max_length` tokens. Behind a row's end all its tokens are `end`; its length counts the one that ended it.

/// The most likely token in each step: %first [N] gives tokens [N, max_length], lengths [N], and scores [N], the logarithms of
/// the probabilities of all tokens up to the end.
template @greedy_decode(%first: index, %state*: any, %with*: any, function: function, vocabulary: int, end: int, max_length: int,
                        type: one_of(f32, f64, f16, bf16) = f32) {
  if rank(%first) != 1 {
    fail "operand 0 'first' has rank ${rank(%first)}; expected 1, a token for each row"
  }
  if max_length < 1 {
    fail "'max_length' is $max_length; expected 1 or more"
  }
  if max_length > 2147483647 {
    fail "'max_length' is $max_length; expected at most 2147483647, the largest i32"
  }
  if vocabulary < 1 {
    fail "'vocabulary' is $vocabulary; expected 1 or more"
  }
  if vocabulary > 2147483647 {
    fail "'vocabulary' is $vocabulary; expected at most 2147483647, the largest i32"
  }
  if end < 0 {
    fail "'end' is $end; expected a token, 0 or more"
  }
  if end > 2147483647 {
    fail "'end' is $end; expected at most 2147483647, the largest i32"
  }
  %none = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %limit = lathe.constant dense<$max_length> : tensor<i32>
  %end = lathe.constant dense<$end> : tensor<${element(%first)}>
  %yes = lathe.constant dense<true> : tensor<i1>
  %zero = lathe.constant dense<0.0> : tensor<$type>
  %blank = lathe.broadcast %end dims [] to [${extent(%first, 0)}, $max_length]
  %begun = lathe.broadcast %none dims [] to [${extent(%first, 0)}]
  %awake = lathe.broadcast %yes dims [] to [${extent(%first, 0)}]
  %certain = lathe.broadcast %zero dims [] to [${extent(%first, 0)}]
  %steps, %last, %tokens, %lengths, %scores, %runs, %ends... = lathe.while carry(%i = %none, %token = %first, %said = %blank, %length = %begun, %score = %certain, %runs = %awake, %now... = %state...) bound $max_length {
    %more = lathe.compare lt %i, %limit
    %any = lathe.reduce or %runs dims [0]
    %go = lathe.and %more, %any
    lathe.condition %go
  } do {
    %logits, %next... = call $function(%token, %now..., %with...) -> ${type([extent(%first, 0), vocabulary], type)}, %now...
    %chosen = lathe.argmax %logits dim 1
    %log = lathe.std.log_softmax %logits
    %gain = lathe.gather %log, %chosen axis 1 batch 1
    %word = lathe.convert %chosen to ${element(%first)}
    %given = lathe.select %runs, %word, %end
    %column = lathe.reshape %given to [${extent(%first, 0)}, 1]
    %says = lathe.dynamic_update_slice %said, %column [%none, %i] : ${type([extent(%first, 0), max_length], element(%first))}, ${type([extent(%first, 0), 1], element(%first))}, (tensor<i32>, tensor<i32>)
    %grown = lathe.convert %runs to i32
    %longer = lathe.add %length, %grown
    %better = lathe.add %score, %gain
    %total = lathe.select %runs, %better, %score
    %stays = lathe.compare ne %given, %end
    %on = lathe.and %runs, %stays
    %j = lathe.add %i, %one
    lathe.yield carry(%j, %given, %says, %longer, %total, %on, %next...)
  }
  return %tokens, %lengths, %scores
}

/// Beam search: in each step the `beams` best continuations of each row's beams go on; one that has ended stays as it is. %first
/// [N] gives tokens [N, beams, max_length], lengths [N, beams] and scores [N, beams], the best first. A score is the logarithm
/// of the probability of all tokens up to the end, over ((5 + length) / 6)^`length_penalty` (Wu et al. 2016), by which beams are
/// compared, too. The function sees N * beams rows; states are repeated for the beams of a row and follow them.
template @beam_decode(%first: index, %state*: any, %with*: any, function: function, vocabulary: int, end: int, max_length: int,
                      beams: int, length_penalty: real = 0.0, type: one_of(f32, f64, f16, bf16) = f32) {
  if rank(%first) != 1 {
    fail "operand 0 'first' has rank ${rank(%first)}; expected 1, a token for each row"
  }
  if max_length < 1 {
    fail "'max_length' is $max_length; expected 1 or more"
  }
  if max_length > 2147483647 {
    fail "'max_length' is $max_length; expected at most 2147483647, the largest i32"
  }
  if vocabulary < 1 {
    fail "'vocabulary' is $vocabulary; expected 1 or more"
  }
  if vocabulary > 2147483647 {
    fail "'vocabulary' is $vocabulary; expected at most 2147483647, the largest i32"
  }
  if end < 0 {
    fail "'end' is $end; expected a token, 0 or more"
  }
  if end > 2147483647 {
    fail "'end' is $end; expected at most 2147483647, the largest i32"
  }
  if beams < 1 {
    fail "'beams' is $beams; expected 1 or more"
  }
  if beams * 1.0 * vocabulary > 2147483647 {
    fail "'beams' is $beams; $beams times the vocabulary of $vocabulary is more than 2147483647, the largest i32"
  }
  %none = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %limit = lathe.constant dense<$max_length> : tensor<i32>
  %words = lathe.constant dense<$vocabulary> : tensor<i32>
  %width = lathe.constant dense<$beams> : tensor<i32>
  %end = lathe.constant dense<$end> : tensor<${element(%first)}>
  %yes = lathe.constant dense<true> : tensor<i1>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zero = lathe.convert %zero to $type
  %infinite = lathe.constant dense<0xFF800000> : tensor<f32>
  %never = lathe.convert %infinite to $type
  // An ended beam goes on with `end` alone, at no cost.
  %word = lathe.iota dim 0 to [$vocabulary] : ${element(%first)}
  %is_end = lathe.compare eq %word, %end
  %resting = lathe.select %is_end, %zero, %never
  // At first the beams of a row are equal, and one of them counts.
  %beam = lathe.iota dim 1 to [${extent(%first, 0)}, $beams] : i32
  %leads = lathe.compare eq %beam, %none
  %likely = lathe.select %leads, %zero, %never
  %row = lathe.iota dim 0 to [${extent(%first, 0)}, $beams] : i32
  %offset = lathe.mul %row, %width
  %flat_row = lathe.reshape %row to [${extent(%first, 0) * beams}]
  %start = lathe.gather %first, %flat_row axis 0
  %repeated... = each lathe.gather %state..., %flat_row axis 0
  %blank = lathe.broadcast %end dims [] to [${extent(%first, 0)}, $beams, $max_length]
  %begun = lathe.broadcast %none dims [] to [${extent(%first, 0)}, $beams]
  %awake = lathe.broadcast %yes dims [] to [${extent(%first, 0)}, $beams]
  %steps, %last, %tokens, %lengths, %sums, %runs, %ranks, %ends... = lathe.while carry(%i = %none, %token = %start, %said = %blank, %length = %begun, %score = %likely, %runs = %awake, %rank = %likely, %now... = %repeated...) bound $max_length {
    %more = lathe.compare lt %i, %limit
    %any = lathe.reduce or %runs dims [0, 1]
    %go = lathe.and %more, %any
    lathe.condition %go
  } do {
    %logits, %next... = call $function(%token, %now..., %with...) -> ${type([extent(%first, 0) * beams, vocabulary], type)}, %now...
    %log = lathe.std.log_softmax %logits
    %each = lathe.reshape %log to [${extent(%first, 0)}, $beams, $vocabulary]
    %running = lathe.reshape %runs to [${extent(%first, 0)}, $beams, 1]
    %gain = lathe.select %running, %each, %resting
    %wide = lathe.reshape %score to [${extent(%first, 0)}, $beams, 1]
    %sum = lathe.add %wide, %gain
    %grown = lathe.convert %runs to i32
    %longer = lathe.add %length, %grown
    if length_penalty == 0.0 {
      %keys = lathe.reshape %sum to [${extent(%first, 0)}, ${beams * vocabulary}]
    } else {
      %five = lathe.constant dense<5.0> : tensor<$type>
      %six = lathe.constant dense<6.0> : tensor<$type>
      %power = lathe.constant dense<$length_penalty> : tensor<$type>
      %real = lathe.convert %longer to $type
      %above = lathe.add %real, %five
      %ratio = lathe.div %above, %six
      %penalty = lathe.pow %ratio, %power
      %tall = lathe.reshape %penalty to [${extent(%first, 0)}, $beams, 1]
      %key = lathe.div %sum, %tall
      %keys = lathe.reshape %key to [${extent(%first, 0)}, ${beams * vocabulary}]
    }
    %sums = lathe.reshape %sum to [${extent(%first, 0)}, ${beams * vocabulary}]
    %best = lathe.top_k %keys dim 1 count $beams
    %from = lathe.div %best, %words
    %index = lathe.rem %best, %words
    %chosen = lathe.convert %index to ${element(%first)}
    %place = lathe.add %from, %offset
    %rows = lathe.reshape %place to [${extent(%first, 0) * beams}]
    %kept... = each lathe.gather %next..., %rows axis 0
    %ran = lathe.gather %runs, %from axis 1 batch 1
    %counted = lathe.gather %longer, %from axis 1 batch 1
    %total = lathe.gather %sums, %best axis 1 batch 1
    %order = lathe.gather %keys, %best axis 1 batch 1
    %past = lathe.gather %said, %from axis 1 batch 1
    %column = lathe.reshape %chosen to [${extent(%first, 0)}, $beams, 1]
    %says = lathe.dynamic_update_slice %past, %column [%none, %none, %i] : ${type([extent(%first, 0), beams, max_length], element(%first))}, ${type([extent(%first, 0), beams, 1], element(%first))}, (tensor<i32>, tensor<i32>, tensor<i32>)
    %stays = lathe.compare ne %chosen, %end
    %on = lathe.and %ran, %stays
    %following = lathe.reshape %chosen to [${extent(%first, 0) * beams}]
    %j = lathe.add %i, %one
    lathe.yield carry(%j, %following, %says, %counted, %total, %on, %order, %kept...)
  }
  return %tokens, %lengths, %ranks
}
