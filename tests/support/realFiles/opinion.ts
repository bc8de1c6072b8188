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

/** A clip, if a movie begins there; whether it is one to its end shows when it is played. */
export function clipAt(file: Buffer, clipStart: number | undefined, stillUs?: number): Opinion {
  const isMovie =
    clipStart !== undefined &&
    clipStart >= 0 &&
    file.toString('latin1', clipStart + 4, clipStart + 8) === 'ftyp'
  return isMovie ? { isMotionPhoto: true, clipStart, stillUs } : NO_MOTION_PHOTO
}

export type Mpvd = { readonly start: number; readonly header: number; readonly size: number }

/** The box of a HEIC that holds the clip, as all programs look for it. */
export function findMpvd(file: Buffer): Mpvd | undefined {
  for (let at = 0; at + 8 <= file.length; ) {
    const isLarge = file.readUInt32BE(at) === 1
    const size = isLarge ? Number(file.readBigUInt64BE(at + 8)) : file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) === 'mpvd')
      return { start: at, header: isLarge ? 16 : 8, size: size === 0 ? file.length - at : size }
    if (size < 8) return undefined
    at += size
  }
  return undefined
}

/** A program's rules, told from its source. */
export type Judge = (file: Buffer, facts: ExiftoolFacts) => Opinion
