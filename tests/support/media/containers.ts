/** Encoder arguments of ordinary test videos. */
export const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ')
const LONG_GROUPS = [...X264, '-g', '1000', '-keyint_min', '1000', '-sc_threshold', '0']
export const B_FRAMES = '-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 50 -bf 3'.split(' ')

function hevc(parameters: string): string[] {
  return ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', `log-level=none:keyint=30:${parameters}`]
}

/** Sound that begins with the file, and pictures that begin `seconds` later. */
function soundBefore(seconds: number): string[] {
  const late = ['-vf', `setpts=PTS+${seconds}/TB`, '-fps_mode', 'passthrough', '-c:a', 'aac']
  return ['-f', 'lavfi', '-i', 'sine=d=4', ...late]
}

export type ContainerCase = {
  readonly file: string
  readonly rate?: number
  readonly args: readonly string[]
  readonly needs?: string
}
/** Containers and structures of videos that are hard to enter in the middle, by what is special about them. */
export const CONTAINERS: Readonly<Record<string, ContainerCase>> = {
  MP4: { file: 'a.mp4', args: [...X264, '-g', '30'] },
  'MP4, one group': { file: 'b.mp4', args: LONG_GROUPS },
  'MP4, B-frames and open groups': {
    file: 'c.mp4',
    args: [...B_FRAMES, '-x264-params', 'open-gop=1:b-pyramid=normal'],
  },
  'MP4 in fragments': { file: 'd.mp4', args: [...X264, '-g', '30', '-movflags', 'frag_keyframe+empty_moov'] },
  'MP4 at 60 a second': { file: 'e.mp4', rate: 60, args: [...X264, '-g', '60'] },
  'MP4 at 24 a second': { file: 'f.mp4', rate: 24, args: B_FRAMES },
  'MP4 of a variable rate': {
    file: 'h.mp4',
    rate: 120,
    args: ['-vf', "select='eq(n,0)+lt(random(3),0.2)'", '-fps_mode', 'vfr', ...B_FRAMES],
  },
  MKV: { file: 'i.mkv', args: B_FRAMES },
  'MKV of a variable rate': {
    file: 'j.mkv',
    rate: 120,
    args: ['-vf', "select='eq(n,0)+lt(random(5),0.2)'", '-fps_mode', 'vfr', ...X264, '-g', '20'],
  },
  'WebM as a browser records it, without an index': {
    file: 'k.webm',
    args: ['-c:v', 'libvpx', '-deadline', 'realtime', '-b:v', '1M', '-g', '100', '-f', 'webm', '-live', '1'],
    needs: 'libvpx',
  },
  'MPEG transport stream': { file: 'l.ts', args: [...X264, '-g', '30'] },
  'MPEG transport stream, one group': { file: 'm.ts', args: LONG_GROUPS },
  'MPEG transport stream, B-frames, beginning at an hour': {
    file: 'n.ts',
    args: [...B_FRAMES, '-output_ts_offset', '3600'],
  },
  'MPEG transport stream, HEVC': { file: 'v.ts', args: hevc('open-gop=0'), needs: 'libx265' },
  'MPEG transport stream, the picture after the sound': {
    file: 'x.ts',
    args: [...soundBefore(1.2), ...B_FRAMES],
  },
  'MPEG transport stream, HEVC with open groups after the sound': {
    file: 'y.ts',
    args: [...soundBefore(0.6), ...hevc('open-gop=1:bframes=4')],
    needs: 'libx265',
  },
  'MPEG program stream': { file: 'o.mpg', rate: 25, args: '-c:v mpeg2video -q:v 2 -g 15 -bf 2'.split(' ') },
  AVI: { file: 'p.avi', args: '-c:v mpeg4 -q:v 2 -g 40'.split(' ') },
  FLV: { file: 'q.flv', args: [...LONG_GROUPS] },
  Ogg: { file: 'r.ogv', args: '-c:v libtheora -q:v 9 -g 64'.split(' '), needs: 'libtheora' },
  WMV: { file: 's.wmv', args: '-c:v wmv2 -q:v 2 -g 60'.split(' ') },
  'QuickTime, every picture a key': { file: 't.mov', args: '-c:v mjpeg -q:v 2 -pix_fmt yuvj422p'.split(' ') },
  'HEVC with open groups': {
    file: 'u.mp4',
    args: hevc('open-gop=1:bframes=4'),
    needs: 'libx265',
  },
}
