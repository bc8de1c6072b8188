import type { InspectionSummary } from '@lantern-room/media/browser'
import { say, sayKnown } from '../words/texts'
import { FPS, shownBytes, shownTime } from './cut'
import type { Choice, Photo } from './makePhoto'

/** What a photo is, in a few words each: of what it was made, for which phone, and how large it is. */
export function chipsOf({ file, inspection, isSource, choice, ultraHdr }: Photo): readonly string[] {
  const chips = [
    ...(choice ? chosenOf(choice) : []),
    ...(inspection ? foundIn(inspection) : []),
    say(isSource ? 'qualitySource' : 'qualityPreview'),
    ultraHdr === undefined ? undefined : (sayKnown(`hdr-${ultraHdr}`) ?? ultraHdr),
    shownBytes(file.size),
  ]
  return chips.filter((chip) => chip !== undefined)
}

function chosenOf(choice: Choice): readonly (string | undefined)[] {
  return [
    rangeOf(choice),
    sayKnown(choice.profile),
    cropOf(choice),
    choice.speed === 1 ? undefined : `${choice.speed}×`,
    choice.rotate === '0' ? undefined : say('degrees', choice.rotate),
  ]
}

function foundIn(inspection: InspectionSummary): readonly (string | undefined)[] {
  const { clip } = inspection
  if (!clip) return [sizesOf(inspection)]
  const seconds = clip.duration === null ? undefined : say('seconds', clip.duration.toFixed(1))
  return [seconds, say(clip.has_audio ? 'withSound' : 'withoutSound'), sizesOf(inspection)]
}

function rangeOf({ cut: { start, end } }: Choice): string {
  return `${shownTime(start / FPS)} – ${shownTime(end / FPS)}`
}

function cropOf({ crop, shape }: Choice): string | undefined {
  if (!crop) return undefined
  return say('cropped', shape.includes(':') ? shape : `${crop.width}×${crop.height}`)
}

/** Pixels of the still, and those of the clip where they are fewer. */
function sizesOf({ width, height, clip }: InspectionSummary): string | undefined {
  if (!width || !height) return undefined
  const still = `${width}×${height}`
  const moving = clip?.width && clip.height ? `${clip.width}×${clip.height}` : still
  return moving === still ? still : say('sizes', `${still}, ${moving}`)
}
