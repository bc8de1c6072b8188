import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, readBoxes, uint32s } from './boxes'

/** PCM samples of one frame of AAC-LC. */
export const AAC_FRAME = 1024

/** A frame of silence in AAC-LC, for one and for two channels, at any sample rate. */
const SILENCE: Readonly<Record<number, Uint8Array>> = {
  1: Uint8Array.of(0x01, 0x18, 0x20, 0x07),
  2: Uint8Array.of(0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c),
}

/** @returns undefined for more than two channels */
export function silentAacFrame(channels: number): Uint8Array | undefined {
  return SILENCE[channels]
}

/**
 * Takes the frames out of an ADTS stream, without their headers.
 * @returns undefined when it is not one from beginning to end
 * @see ISO/IEC 14496-3, 1.A.2.2
 */
export function readAdtsFrames(bytes: Uint8Array): Uint8Array[] | undefined {
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 7 > bytes.length) return undefined
    const header = viewOf(bytes.subarray(at, at + 7))
    const hasChecksum = (header.getUint8(1) & 1) === 0
    const headerSize = hasChecksum ? 9 : 7
    const size = (header.getUint32(3) >>> 13) & 0x1fff
    const isSync = (header.getUint16(0) & 0xfff6) === 0xfff0
    if (!isSync || size < headerSize || at + size > bytes.length) return undefined
    frames.push(bytes.subarray(at + headerSize, at + size))
    at += size
  }
  return frames
}

/**
 * The sample description of AAC-LC.
 * @param rate one of the rates that MPEG-4 numbers, such as 48,000
 * @throws RangeError for another rate
 * @see ISO/IEC 14496-14, 5.6 (`esds`), 14496-1, 7.2.6 (descriptors), 14496-3, 1.6.2.1 (the configuration)
 * @example
 * const sampleEntry = encodeAacEntry(48_000, 2)
 */
export function encodeAacEntry(rate: number, channels: number): Uint8Array {
  const rateIndex = RATES.indexOf(rate)
  if (rateIndex === -1) throw new RangeError(`AAC has no number for ${rate} Hz`)
  const configuration = (AAC_LC << 11) | (rateIndex << 7) | (channels << 3)
  const specific = descriptor(0x05, Uint8Array.of(configuration >> 8, configuration & 0xff))
  // MPEG-4 audio, a stream of sound, no buffer size or bit rates given.
  const decoder = descriptor(0x04, Uint8Array.of(0x40, 0x15, 0, 0, 0), uint32s(0, 0), specific)
  const sync = descriptor(0x06, Uint8Array.of(2))
  const elementary = descriptor(0x03, Uint8Array.of(0, 0, 0), decoder, sync)
  return encodeBox(
    'mp4a',
    // Six reserved bytes and the number of the data reference, then eight reserved bytes.
    uint32s(0, 1, 0, 0),
    uint32s((channels << 16) | 16, 0, rate * 0x10000),
    encodeFullBox('esds', 0, elementary),
  )
}

/**
 * The channels of AAC by its decoder's configuration. The sample description has a count, too, which many writers leave at 2.
 * @param entry of type `mp4a`, with its box header
 * @returns undefined when the entry has no configuration, or an unusual one
 */
export function readAacChannels(entry: Uint8Array): number | undefined {
  return readConfiguration(entry)?.channels
}

/**
 * Whether the ticks of a track of AAC are its samples of sound, so that each frame lasts `AAC_FRAME` of them.
 * @param entry as `readAacChannels` takes it. Of HE-AAC its rate is twice the decoder's; one above 65,535 Hz does not fit into it.
 */
export function isClockOfAac(entry: Uint8Array, timescale: number): boolean {
  const rate = readConfiguration(entry)?.rate
  return rate !== undefined && (timescale === rate || timescale === viewOf(entry).getUint16(RATE_AT))
}

function readConfiguration(entry: Uint8Array) {
  const esds = readBoxes(entry.subarray(AUDIO_FIELDS_END))?.find((box) => box.type === 'esds')
  // After the version: the elementary stream, its decoder, and the decoder's configuration, each inside the one before.
  const stream = esds && openDescriptor(esds.body.subarray(4), 0x03)
  const decoder = stream && openDescriptor(stream.subarray(3), 0x04)
  const configuration = decoder && openDescriptor(decoder.subarray(13), 0x05)
  if (!configuration || configuration.length < 2) return undefined
  const bits = viewOf(configuration).getUint16(0)
  const rate = RATES[(bits >>> 7) & 0xf]
  return bits >>> 11 === AAC_LC && rate !== undefined ? { rate, channels: (bits >>> 3) & 0xf } : undefined
}

/** What QuickTime's first version of a sound description has more. */
const VERSION_1_BYTES = 16

/**
 * An entry of AAC in the form that MP4 has. QuickTime's, as iPhones write it, has fields of its own, and the decoder's configuration
 * in a box `wave`.
 * @param entry with its box header
 * @see QuickTime File Format, "Sound sample description (version 1)"
 */
export function plainAacEntry(entry: Uint8Array): Uint8Array {
  if (entry.length < AUDIO_FIELDS_END || viewOf(entry).getUint16(16) !== 1) return entry
  const boxes = readBoxes(entry.subarray(AUDIO_FIELDS_END + VERSION_1_BYTES)) ?? []
  const wave = boxes.find(({ type }) => type === 'wave')
  const esds = (wave ? readBoxes(wave.body) : boxes)?.find(({ type }) => type === 'esds')
  if (!esds) return entry
  const fields = entry.slice(8, AUDIO_FIELDS_END)
  // Version, revision and vendor; the number of the compression, and the size of packets.
  fields.fill(0, 8, 16)
  fields.fill(0, 20, 24)
  return encodeBox('mp4a', fields, encodeBox('esds', esds.body))
}

/** The content of the descriptor that begins these bytes; its length may take up to four bytes. */
function openDescriptor(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  if (bytes[0] !== tag) return undefined
  let length = 0
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at]
    if (byte === undefined) return undefined
    length = length * 128 + (byte & 0x7f)
    if ((byte & 0x80) === 0) return bytes.subarray(at + 1, at + 1 + length)
  }
  return undefined
}

const AUDIO_FIELDS_END = 36
const AAC_LC = 2
/** Where an entry has its sample rate: 16 bits, and 16 of a fraction. */
const RATE_AT = 32
/** By their numbers. @see ISO/IEC 14496-3, table 1.18 */
const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]

function descriptor(tag: number, ...body: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(body)
  return concatBytes([Uint8Array.of(tag, content.length), content])
}
