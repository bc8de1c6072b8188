import type { ExiftoolFacts } from './exiftoolFacts'
import { clipAt, findMpvd, type Judge, type Mpvd, NO_MOTION_PHOTO } from './opinion'

// Google's library to check motion photos: google/libmotionphoto, motion_photo_checker.cc. It knows no MicroVideo, and is
// stricter than Google's gallery: what it would report as an error is told as a complaint.

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
    ...(box ? boxComplaints(file, facts, box) : []),
  ]
  return { ...opinion, complaint: complaints[0] }
}

function itemsOf({ ContainerDirectory }: ExiftoolFacts) {
  return (ContainerDirectory ?? []).map(({ Item }) => Item ?? {})
}

function directoryComplaints(facts: ExiftoolFacts): string[] {
  const items = itemsOf(facts)
  const semantics = items.map(({ Semantic }) => Semantic?.toLowerCase())
  const expected = semantics.includes('gainmap')
    ? ['primary', 'gainmap', 'motionphoto']
    : ['primary', 'motionphoto']
  if (semantics.join() !== expected.join()) return [`items are ${semantics.join(', ')}`]
  if ((items[0]?.Length ?? 0) !== 0) return ['length of the primary item is not 0']
  return items.some(({ Length, Padding }) => (Length ?? 0) < 0 || (Padding ?? 0) < 0)
    ? ['a length is negative']
    : []
}

function boxComplaints(file: Buffer, facts: ExiftoolFacts, { start, header, size }: Mpvd): string[] {
  const [first, second] = itemsOf(facts)
  return [
    ...(start + size === file.length ? [] : ['`mpvd` does not end with the file']),
    ...(size - header === second?.Length ? [] : ["length is not that of `mpvd`'s content"]),
    ...(header === (first?.Padding ?? 0) ? [] : ["padding is not that of `mpvd`'s header"]),
  ]
}
