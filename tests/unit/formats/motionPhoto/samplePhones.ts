import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { encodeSegment } from '#internal/formats/jpeg/jpeg'
import { CLIP_BLOCK_HEADER, encodeSamsungTrailer } from '#internal/formats/motionPhoto/samsung'
import { hex } from '#support/values/hex'
import { baselineJpeg, jfif, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'

// Files as phones lay them out, rebuilt around one small picture and one clip.

export const { clip } = sampleParts

export function withXmp(jpeg: Uint8Array, packet: string): Uint8Array {
  const mark = 'http://ns.adobe.com/xap/1.0/\0'
  return withSegments(jpeg, encodeSegment(0xe1, asciiBytes(mark + packet)))
}

export function description(attributes: string, directory = ''): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
      xmlns:Container="http://ns.google.com/photos/1.0/container/"
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/" ${attributes}>
      <Container:Directory><rdf:Seq>${directory}</rdf:Seq></Container:Directory>
    </rdf:Description></rdf:RDF></x:xmpmeta>`
}

export function item(mime: string, semantic: string, length: number, padding?: number): string {
  const attribute = padding === undefined ? '' : ` Item:Padding="${padding}"`
  return `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="${mime}" Item:Semantic="${semantic}" Item:Length="${length}"${attribute}/></rdf:li>`
}

export const motion = 'GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1"'
export const primary = item('image/jpeg', 'Primary', 0)
export const video = (length: number) => item('video/mp4', 'MotionPhoto', length)

/** The small picture, marked as a motion photo whose directory has these items behind the picture itself. */
export function withDirectory(items: string, padding?: number): Uint8Array {
  return withXmp(baselineJpeg, description(motion, item('image/jpeg', 'Primary', 0, padding) + items))
}

/** A motion photo that names the moment of its picture. @param us microseconds, as they stand in the XMP */
export function withMoment(us: number | string): Uint8Array {
  const attributes = `${motion} GCamera:MotionPhotoPresentationTimestampUs="${us}"`
  return concatBytes([withXmp(baselineJpeg, description(attributes, primary + video(clip.length))), clip])
}

export const gainMap = withSegments(baselineJpeg, jfif)
const privateBlock = asciiBytes('\x00\x00\x11\x87lighthousetele')
const secondVideo = concatBytes([
  hex('00000010 66747970 6d703432 00000000'),
  encodeBox('mdat', asciiBytes('short')),
])

export const phones: Record<string, Uint8Array> = {
  'Pixel: a container directory, the clip at the end': concatBytes([withDirectory(video(clip.length)), clip]),
  'Pixel with a gain map before the clip': concatBytes([
    withDirectory(item('image/jpeg', 'GainMap', gainMap.length) + video(clip.length)),
    gainMap,
    clip,
  ]),
  'old Pixel and Xiaomi: MicroVideo alone': concatBytes([
    withXmp(baselineJpeg, description(`GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${clip.length}"`)),
    clip,
  ]),
  'old Samsung: a trailer alone': concatBytes([
    baselineJpeg,
    CLIP_BLOCK_HEADER,
    clip,
    encodeSamsungTrailer(clip.length, 0),
  ]),
  'new Samsung: a directory whose length counts the trailer': concatBytes([
    withDirectory(video(clip.length + 75), 24),
    CLIP_BLOCK_HEADER,
    clip,
    encodeSamsungTrailer(clip.length, 0),
  ]),
  'OPPO: a length that is 131 too short, two videos, a block between them': concatBytes([
    withDirectory(
      item('image/jpeg', 'GainMap', gainMap.length) +
        video(clip.length + privateBlock.length + secondVideo.length - 131),
    ),
    gainMap,
    clip,
    privateBlock,
    secondVideo,
  ]),
  'a length that leads nowhere, and a padding that leads to the clip': concatBytes([
    withDirectory(video(7), 24),
    CLIP_BLOCK_HEADER,
    clip,
  ]),
  'a second video right after the first': concatBytes([
    withDirectory(video(clip.length + secondVideo.length)),
    clip,
    secondVideo,
  ]),
  'Huawei: a text of 60 bytes after the clip': concatBytes([
    withDirectory(video(clip.length + 60)),
    clip,
    asciiBytes('v3_f10              0:0                 LIVE_1234           '),
  ]),
  'a mark and no directory, the clip right after the image': concatBytes([
    withXmp(baselineJpeg, description(motion)),
    clip,
  ]),
  'motion photo XMP in the second packet': concatBytes([
    withXmp(withDirectory(video(clip.length)), description('dc:title="x"')),
    clip,
  ]),
}
