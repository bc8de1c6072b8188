import { renderHelp } from '../commandLine/renderHelp'
import { OPTIONS } from './motionPhotoOptions'

/** The manual, at most 80 columns wide. */
export function helpText(version: string): string {
  const title = `motion-photo ${version}: makes a motion photo of a part of a video or animated image`
  return renderHelp([title, USAGE, OPTIONS, NOTES], { textColumn: 22, defaultColumn: 50 })
}

const USAGE = `  motion-photo [options] VIDEO      VIDEO is a file, or - for standard input
  motion-photo --out FOLDER [options] VIDEO...
  motion-photo inspect|extract|repair ...      of a motion photo: see --help
  motion-photo trial ...                       what does a phone's gallery need`

const NOTES = `
TIME counts from the video's begin: seconds (1.5), mm:ss.sss or hh:mm:ss.

Examples
  motion-photo clip.mp4
  motion-photo clip.mp4 --start 1 --end 4 --cover 2 --speed 1 -o out_MP.jpg
  motion-photo --out photos holiday/*.mp4
  motion-photo --start 1:02.5 --speed 0.5 --json -- -odd-name.mov

A video that is called inspect, extract, repair or trial goes after --.

Exit codes
  0  done: the path of the motion photo is on standard output
  1  the video, the range or the output is refused; nothing was written
  2  the command was typed wrong
  3  this machine lacks something: ffmpeg, disk space, a right to write
  130, 143  stopped by Ctrl-C or SIGTERM; nothing was written
`
