/**
 * What is decoded of the files that users send: what phones, cameras, screen recorders and animations of the web write, and
 * nothing else. Every other decoder of an ffmpeg is code for a format that no upload needs, and a way into this machine for
 * one that is broken on purpose. By codec, the decoders that may read it, as ffmpeg names both.
 * @see docs/decisions.md, D143
 */
const PICTURES = {
  // Phones, cameras and screen recorders.
  h264: ['h264'],
  hevc: ['hevc'],
  // Newer phones, browsers, AVIF. ffmpeg's own decoder, `av1`, needs graphics hardware.
  av1: ['libdav1d', 'libaom-av1'],
  // WebM, which browsers record. Only the libvpx decoders support its transparency.
  vp8: ['vp8', 'libvpx'],
  vp9: ['vp9', 'libvpx-vp9'],
  // Phones before H.264: 3GP, and AVI of action cameras.
  mpeg4: ['mpeg4'],
  h263: ['h263'],
  // Compact cameras and dashboard cameras; covers.
  mjpeg: ['mjpeg'],
  // iPhones ("Pro") and cameras.
  prores: ['prores'],
  // Camcorders with discs and cards, HDV; cameras of the nineties.
  mpeg1video: ['mpeg1video'],
  mpeg2video: ['mpeg2video'],
  // Camcorders with tapes: DV in AVI and MOV.
  dvvideo: ['dvvideo'],
  // Screen recorders of Windows and its phones: WMV.
  wmv2: ['wmv2'],
  wmv3: ['wmv3'],
  vc1: ['vc1'],
  // Screen recorders of free desktops: Ogg.
  theora: ['theora'],
  // Animations of the web: FLV, GIF, APNG. Covers: PNG and WebP.
  flv1: ['flv'],
  gif: ['gif'],
  apng: ['apng'],
  png: ['png'],
  webp: ['webp'],
} as const

const SOUNDS = {
  // Phones, cameras and screen recorders.
  aac: ['aac'],
  mp3: ['mp3float', 'mp3'],
  // Browsers.
  opus: ['opus', 'libopus'],
  vorbis: ['vorbis', 'libvorbis'],
  // iPhones and screen recorders that lose nothing.
  alac: ['alac'],
  flac: ['flac'],
  // Phones before AAC: 3GP.
  amr_nb: ['amrnb', 'libopencore_amrnb'],
  amr_wb: ['amrwb', 'libopencore_amrwb'],
  // Camcorders.
  ac3: ['ac3'],
  eac3: ['eac3'],
  mp2: ['mp2float', 'mp2'],
  pcm_bluray: ['pcm_bluray'],
  pcm_dvd: ['pcm_dvd'],
  // Cameras: MOV, AVI.
  pcm_s16le: ['pcm_s16le'],
  pcm_s16be: ['pcm_s16be'],
  pcm_s24le: ['pcm_s24le'],
  pcm_s24be: ['pcm_s24be'],
  pcm_s32le: ['pcm_s32le'],
  pcm_s32be: ['pcm_s32be'],
  pcm_f32le: ['pcm_f32le'],
  pcm_f32be: ['pcm_f32be'],
  pcm_u8: ['pcm_u8'],
  pcm_s8: ['pcm_s8'],
  pcm_alaw: ['pcm_alaw'],
  pcm_mulaw: ['pcm_mulaw'],
  adpcm_ima_wav: ['adpcm_ima_wav'],
  adpcm_ima_qt: ['adpcm_ima_qt'],
  adpcm_ms: ['adpcm_ms'],
  // WMV.
  wmav2: ['wmav2'],
  wmapro: ['wmapro'],
  // FLV.
  speex: ['speex', 'libspeex'],
  nellymoser: ['nellymoser'],
  adpcm_swf: ['adpcm_swf'],
} as const

/** The decoders of uploads, by name. */
export const UPLOAD_DECODERS = [PICTURES, SOUNDS].flatMap((codecs) => Object.values(codecs).flat())

/** Codecs found in previews and clips, whose sound and pictures may be copied from an upload. */
export const OWN_DECODERS = ['h264', 'aac'] as const

/** Files and streams of one codec, by ffmpeg's name for the format: its decoder. */
export const PLAIN_DECODERS = {
  h264: 'h264',
  hevc: 'hevc',
  mjpeg: 'mjpeg',
  jpeg_pipe: 'mjpeg',
  png_pipe: 'png',
  webp_pipe: 'webp',
  rawvideo: 'rawvideo',
} as const

export type PlainFormat = keyof typeof PLAIN_DECODERS

/** Whether pictures of a codec are decoded. @param codec as ffmpeg names it */
export function isReadPicture(codec: string): boolean {
  return Object.hasOwn(PICTURES, codec)
}

/** Whether sound of a codec is decoded. @param codec as ffmpeg names it */
export function isReadSound(codec: string): boolean {
  return Object.hasOwn(SOUNDS, codec)
}
