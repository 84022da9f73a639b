// The inverse error function of x is x p(w - middle), w = -log(1 - x^2). scripts/fit-math.py computes the coefficients. A
// target's code and the expansion of random numbers share them.
#ifndef LATHE_SUPPORT_ERFINVTERMS_H
#define LATHE_SUPPORT_ERFINVTERMS_H

namespace lathe {

/// f32: with middle 2.5 for w < 5; from there on p(sqrt(w) - 3.2).
inline constexpr double erfInvSingle[] = {0x1.805c5ep+0,  0x1.f91e8cp-3,   -0x1.11c42p-8,   -0x1.486646p-10,
                                          0x1.c9c59ap-13, -0x1.4cfd0cp-18, -0x1.ccfc7cp-19, 0x1.f43f9cp-22,
                                          0x1.35e37ep-26, -0x1.2d6ee6p-27, 0x1.70e18ep-32};
inline constexpr double erfInvSingleTail[] = {0x1.844e34p+1,   0x1.013386p+0,  0x1.877dbp-8,   -0x1.196946p-8,
                                              0x1.82163p-9,    -0x1.0554c4p-9, 0x1.1fd814p-10, -0x1.7768f4p-12,
                                              -0x1.7d0e7cp-15, 0x1.a1db82p-14, -0x1.db6012p-16};
/// f64: with middle 2.75 for w < 5.5; then p(sqrt(w) - 3.15); from sqrt(w) = 4 on p(sqrt(w) - 5.1).
inline constexpr double erfInvDouble[] = {
    0x1.9012fadec7b65p+0,   0x1.f4636c3f24c95p-3,   -0x1.4a09a72652a68p-8,  -0x1.10420d7de544dp-10, 0x1.b671990b9716bp-13,
    -0x1.3e4c92e3646d6p-17, -0x1.58c87fa45a639p-19, 0x1.03488e0bdfbddp-21,  -0x1.1a69c9a963a1p-27,  -0x1.1cad2df3b194p-27,
    0x1.322d6603b9734p-30,  0x1.25924ff6def79p-35,  -0x1.c329668eeb158p-36, 0x1.409ee129ff285p-39,  0x1.163e0cb800912p-42,
    -0x1.4bbbfa83face9p-44, 0x1.f6c6bd9c1c2e3p-49,  0x1.39efeee589046p-50,  -0x1.be1c877aa6cc2p-53, -0x1.86a65095d915ap-60,
    0x1.21848a735ac3cp-58,  -0x1.66be4e40e04fap-62, -0x1.60f0534c212fdp-65, 0x1.83ce0964d6ad6p-68};
inline constexpr double erfInvDoubleTail[] = {
    0x1.7de09f69e79cap+1,   0x1.010a2aa1aadabp+0,   0x1.b4bde7d25841bp-8,   -0x1.438bea40b280fp-8,  0x1.c994eb4f1f00bp-9,
    -0x1.321339de24969p-9,  0x1.3b08ca70c5ce2p-10,  -0x1.684fe730f79bp-12,  -0x1.fc282c553e796p-15, 0x1.fd9ff37cbf667p-14,
    -0x1.e4f207af65a77p-15, 0x1.6412778396c9p-18,   0x1.3c29507a5e457p-17,  -0x1.8d1408361ac52p-18, 0x1.2fe811ab7551dp-20,
    0x1.273f28f01fbd6p-21,  -0x1.ffcada8cd2739p-22, 0x1.2b4e583476e8p-23,   0x1.e072289b1c5b1p-27,  -0x1.1de5827ca3995p-25,
    0x1.f7cb78fbfe393p-27,  -0x1.01ca4b9dfa7fp-31,  -0x1.369b04dfc2cbap-29, 0x1.7a7e8d2ebb25bp-31};
inline constexpr double erfInvDoubleFarTail[] = {
    0x1.3cdc1ddba66bdp+2,   0x1.02a0d45ec794dp+0,   -0x1.a1098acab2d65p-13, -0x1.872569e835b43p-13, 0x1.182e06f86188fp-14,
    -0x1.1ff0f24a2d46p-16,  0x1.050ca5114fe16p-18,  -0x1.be2ddb35133ep-21,  0x1.80ae4bf46b4a1p-23,  -0x1.8636b54accd23p-25,
    0x1.1c6d74efcd32p-26,   -0x1.18670aae40a13p-27, 0x1.24fdee2642f4ep-28,  -0x1.183eb02121ec4p-29, 0x1.cba74686c6d9p-31,
    -0x1.304873ea2f4acp-32, 0x1.193067cbb7a66p-34,  -0x1.01ce41cd2498bp-38, -0x1.6c8638f5524ddp-38, 0x1.d6160753c4271p-39,
    -0x1.7c03da22540a9p-40, 0x1.19f97c2b8d7fep-42,  0x1.487d4086cc98p-44,   -0x1.3319cca80f1a9p-45};

} // namespace lathe

#endif
