/**
 * What is decoded of the files that users send: what phones, cameras, screen recorders and animations of the web write, and
 * nothing else. Every other decoder of an ffmpeg is code for a format that no upload needs, and a way into this machine for
 * one that is broken on purpose. By codec, the decoders that may read it, as ffmpeg names both.
 * @see docs/decisions.md, D143
 */
const PICTURES = {
  // Phones, cameras and screen recorders.
  ...byOwnName('h264 hevc'),
  // Newer phones, browsers, AVIF. ffmpeg's own decoder, `av1`, needs graphics hardware.
  av1: ['libdav1d', 'libaom-av1'],
  // WebM, which browsers record. Only the libvpx decoders support its transparency.
  vp8: ['vp8', 'libvpx'],
  vp9: ['vp9', 'libvpx-vp9'],
  // Phones before H.264: 3GP, and AVI of action cameras. Compact cameras and dashboard cameras; covers.
  ...byOwnName('mpeg4 h263 mjpeg'),
  // iPhones ("Pro") and cameras.
  ...byOwnName('prores'),
  // Camcorders with discs and cards, HDV; cameras of the nineties. Camcorders with tapes: DV in AVI and MOV.
  ...byOwnName('mpeg1video mpeg2video dvvideo'),
  // Screen recorders of Windows and its phones: WMV. Screen recorders of free desktops: Ogg.
  ...byOwnName('wmv2 wmv3 vc1 theora'),
  // Animations of the web: FLV, GIF, APNG. Covers: PNG and WebP.
  flv1: ['flv'],
  ...byOwnName('gif apng png webp'),
}

const SOUNDS = {
  // Phones, cameras and screen recorders.
  aac: ['aac'],
  mp3: ['mp3float', 'mp3'],
  // Browsers.
  opus: ['opus', 'libopus'],
  vorbis: ['vorbis', 'libvorbis'],
  // iPhones and screen recorders that lose nothing.
  ...byOwnName('alac flac'),
  // Phones before AAC: 3GP.
  amr_nb: ['amrnb', 'libopencore_amrnb'],
  amr_wb: ['amrwb', 'libopencore_amrwb'],
  // Camcorders.
  ...byOwnName('ac3 eac3'),
  mp2: ['mp2float', 'mp2'],
  ...byOwnName('pcm_bluray pcm_dvd'),
  // Cameras: MOV, AVI.
  ...byOwnName(
    'pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f32be pcm_u8 pcm_s8',
  ),
  ...byOwnName('pcm_alaw pcm_mulaw adpcm_ima_wav adpcm_ima_qt adpcm_ms'),
  // WMV.
  ...byOwnName('wmav2 wmapro'),
  // FLV.
  speex: ['speex', 'libspeex'],
  ...byOwnName('nellymoser adpcm_swf'),
}

/** Codecs whose only decoder has their name. */
function byOwnName(codecs: string): Record<string, string[]> {
  return Object.fromEntries(codecs.split(' ').map((codec) => [codec, [codec]]))
}

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
