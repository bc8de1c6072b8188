type Said = {
  container?: string
  streams?: readonly string[]
  duration?: string
  start?: string
  picture?: string
  colour?: string
}

/** ffmpeg's words about a file, as version 5.1 writes them. */
export function words({
  container = 'mov,mp4,m4a,3gp,3g2,mj2',
  streams = ['Video: h264 (High) (avc1 / 0x31637661), yuv420p(tv, bt709, progressive), 568x320, 29.98 fps'],
  duration = '00:01:02.20',
  start = '0.000000',
  picture = 'fmt:yuv420p sar:0/1 s:320x568 i:P iskey:1 type:I checksum:715C8374',
  colour = 'color_range:tv color_space:bt709 color_primaries:bt709 color_trc:bt709',
}: Said = {}): string {
  return [
    `Input #0, ${container}, from 'file:/data/1/upload':`,
    '  Metadata:',
    '    major_brand     : qt  ',
    '    title           : Stream #0:0: Audio: aac (LC), 44100 Hz, mono',
    '                    : No space left on device',
    `  Duration: ${duration}, start: ${start}, bitrate: 581 kb/s`,
    ...streams.flatMap((stream, index) => [
      `  Stream #0:${index}[0x${index + 1}](und): ${stream} (default)`,
      '    Metadata:',
      '      handler_name    : Core Media',
    ]),
    'Stream mapping:',
    '  Stream #0:1 -> #0:0 (h264 (native) -> wrapped_avframe (native))',
    '[Parsed_showinfo_0 @ 0x55b496b7d940] config in time_base: 1/600, frame_rate: 30000/1001',
    `[Parsed_showinfo_0 @ 0x55b496b7d940] n:   0 pts:      0 pts_time:0       pos:    17282 ${picture}`,
    `[Parsed_showinfo_0 @ 0x55b496b7d940] ${colour}`,
    "Output #0, null, to 'pipe:':",
    '  Stream #0:0(und): Audio: pcm_s16le, 96000 Hz, 5.1',
  ].join('\n')
}
