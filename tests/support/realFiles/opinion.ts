import type { ExiftoolFacts } from './exiftoolFacts'

/** What a program makes of a file. */
export type Opinion = {
  /** It takes the file for a motion photo with a clip. */
  readonly isMotionPhoto: boolean
  /** First byte of the clip, where the program looks for one. */
  readonly clipStart?: number | undefined
  /** Microseconds of the clip that the still shows, where the program reads them. */
  readonly stillUs?: number | undefined
  /** What it complains of, although it takes the file. */
  readonly complaint?: string | undefined
}

export const NO_MOTION_PHOTO: Opinion = { isMotionPhoto: false }

/** A program's rules, told from its source. */
export type Judge = (file: Buffer, facts: ExiftoolFacts) => Opinion
