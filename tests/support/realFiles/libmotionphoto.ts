import { walkJpeg } from '@lantern-room/formats/pictures'
import type { ExiftoolFacts } from './exiftoolFacts'
import { clipAt, findMpvd, type Judge, type Mpvd, NO_MOTION_PHOTO } from './opinion'

// Google's library to check motion photos: google/libmotionphoto, motion_photo_checker.cc and what calls it. It knows no
// MicroVideo, and is stricter than Google's gallery: what it would report as an error is told as a complaint.

export const libmotionphoto: Judge = (file, facts) => {
  const isJpeg = file.readUInt16BE(0) === 0xffd8
  if (facts.MotionPhoto === undefined) return NO_MOTION_PHOTO
  const length = itemsOf(facts).at(-1)?.Length
  const box = isJpeg ? undefined : findMpvd(file)
  const clipStart = isJpeg ? (length ? file.length - length : undefined) : box && box.start + box.header
  const time = facts.MotionPhotoPresentationTimestampUs
  const opinion = clipAt(file, clipStart, time !== undefined && time >= 0 ? time : undefined)
  if (!opinion.isMotionPhoto) return opinion
  const complaints = [
    ...(facts.MotionPhoto === 1 && facts.MotionPhotoVersion === 1 ? [] : ['mark or version is not 1']),
    ...(time !== undefined && time < 0 ? ['time is negative'] : []),
    ...directoryComplaints(facts),
    ...(box ? boxComplaints(file, facts, box) : sizeComplaints(file, facts)),
    ...trackComplaints(file.subarray(clipStart)),
  ]
  return { ...opinion, complaint: complaints[0] }
}

function itemsOf({ ContainerDirectory }: ExiftoolFacts) {
  return (ContainerDirectory ?? []).map(({ Item }) => Item ?? {})
}

const PICTURES = ['image/jpeg', 'image/heic', 'image/avif']

function directoryComplaints(facts: ExiftoolFacts): string[] {
  const items = itemsOf(facts)
  const semantics = items.map(({ Semantic }) => Semantic?.toLowerCase())
  const expected = items.some(({ Semantic }) => Semantic === 'GainMap')
    ? ['primary', 'gainmap', 'motionphoto']
    : ['primary', 'motionphoto']
  if (semantics.join() !== expected.join()) return [`items are ${semantics.join(', ')}`]
  const isMime = ({ Mime = '' }: { readonly Mime?: string }, i: number) =>
    (i === expected.length - 1 ? ['video/mp4'] : PICTURES).includes(Mime.toLowerCase())
  if (!items.every(isMime)) return ['a media type is not one of an item']
  if ((items[0]?.Length ?? 0) !== 0) return ['length of the primary item is not 0']
  if (items.slice(1).some(({ Length }) => Length === undefined)) return ['a length is missing']
  return items.some(({ Length, Padding }) => (Length ?? 0) < 0 || (Padding ?? 0) < 0)
    ? ['a length is negative']
    : []
}

/** In a JPEG: end of the last picture + padding of the primary item + length of the video = size of the file. */
function sizeComplaints(file: Buffer, facts: ExiftoolFacts): string[] {
  const items = itemsOf(facts)
  const picturesEnd = endOfPictures(file)
  const sum = picturesEnd + Math.abs(items[0]?.Padding ?? 0) + Math.abs(items.at(-1)?.Length ?? 0)
  return sum === file.length ? [] : [`pictures, padding and length are ${sum - file.length} bytes too long`]
}

/** The first picture, and a second one that follows it with nothing but zero bytes between them. */
function endOfPictures(file: Buffer): number {
  const first = walkJpeg(file)?.end ?? 0
  let next = first
  while (file[next] === 0) next++
  const second = walkJpeg(file.subarray(next))?.end
  return second === undefined ? first : next + second
}

/** A second video track is one of high resolution, which needs a track of metadata. */
function trackComplaints(clip: Buffer): string[] {
  const handlers = [...clip.toString('latin1').matchAll(/hdlr.{8}(vide|soun|meta)/gs)].map(([, type]) => type)
  const videos = handlers.filter((type) => type === 'vide').length
  if (videos === 0) return ['there is no video track']
  return videos > 1 && !handlers.includes('meta') ? ['a second video track has no metadata'] : []
}

function boxComplaints(file: Buffer, facts: ExiftoolFacts, { start, header, size }: Mpvd): string[] {
  const [first, second] = itemsOf(facts)
  return [
    ...(start + size === file.length ? [] : ['`mpvd` does not end with the file']),
    ...(size - header === second?.Length ? [] : ["length is not that of `mpvd`'s content"]),
    ...(header === (first?.Padding ?? 0) ? [] : ["padding is not that of `mpvd`'s header"]),
  ]
}
