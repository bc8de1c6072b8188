import type { JudgeName } from './compare'

/** Why a program sees a file otherwise than `inspect`: what `docs/real-files.md` tells, and no other difference passes. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, Partial<Record<JudgeName, string>>>> = {
  'pixel-3a-jfif': {
    exiftool: 'The picture was shortened and has no end (EOI), after which exiftool looks for the video.',
  },
  'samsung-micro-video': {
    exiftool: "It takes MicroVideo out by Samsung's directory alone, which is cut off here.",
    libmotionphoto: 'It does not know MicroVideo.',
  },
  'android-heic': {
    PhotoPrism:
      "It looks at the first `ftyp` of each 128 KiB only. In this small file that is the picture's own, so the video is not found.",
  },
}
