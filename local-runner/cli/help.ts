import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import { MOTION_PHOTO_PROFILES } from '#core/media/motionPhoto/profile'

/** The manual, at most 80 columns wide. */
export function helpText(version: string): string {
  return `motion-photo ${version}: makes a motion photo of a part of a video or animated image

  motion-photo [options] VIDEO      VIDEO is a file, or - for standard input

  --start TIME        begin of the clip           (default: begin of the video)
  --end TIME          end of the clip             (3 s later or the video's end)
  --cover TIME        the still picture           (the middle of the clip)
  --speed N           ${MIN_SPEED} to ${MAX_SPEED} times as fast      (1)
  --profile NAME      ${MOTION_PHOTO_PROFILES.join(', ')}   (universal)
  --mute              leave the sound out
  -o, --output FILE   the JPEG to write           (VIDEO_MP.jpg beside VIDEO)
  -f, --force         overwrite FILE
  --json              print the result as a JSON object, not only its path
  -q, --quiet         show no progress
  -h, --help          show this, and stop
  -V, --version       show the version, and stop

TIME counts from the video's begin: seconds (1.5), mm:ss.sss or hh:mm:ss.

Examples
  motion-photo clip.mp4
  motion-photo clip.mp4 --start 1 --end 4 --cover 2 --speed 1 -o out_MP.jpg
  motion-photo --start 1:02.5 --speed 0.5 --json -- -odd-name.mov

Exit codes
  0  done: the path of the motion photo is on standard output
  1  the video, the range or the output is refused; nothing was written
  2  the command was typed wrong
  3  this machine lacks something: ffmpeg, disk space, a right to write
  130, 143  stopped by Ctrl-C or SIGTERM; nothing was written
`
}
