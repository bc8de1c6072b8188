/** Names that programs give to files without one, and iOS to what it has cut. They would say nothing of a photo. */
const PLACEHOLDER =
  /^(|-|blob|file|upload|video|movie|clip|image|input|original|untitled|(trim\.)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

/** Names of devices, to which Windows writes no file. */
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[\d¹²³])(\.|$)/i

/** Bytes in UTF-8. File systems allow 255, of which the ending and marks of several files of one photo need some. */
const MAX_STEM_BYTES = 120

/**
 * The name under which a video was sent, without its ending and the mark of a motion photo, as a file of any system may be
 * called.
 * @returns undefined for one that says nothing
 */
export function stemOf(name: string): string | undefined {
  const base = name.replace(/^.*[/\\]/s, '').normalize('NFC')
  const stem = base
    .replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/\.[a-z\d]{1,5}$/i, '')
    // Browsers write quotes and line ends of a name so.
    .replaceAll(/[<>:"|?*]|%(?:22|0[AD])/gi, '_')
  const plain = withoutPhotoMark(stem)
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(MAX_STEM_BYTES))
  const short = plain.slice(0, read).replace(/^[. ]+|[. ]+$/g, '')
  if (PLACEHOLDER.test(short)) return undefined
  return RESERVED.test(short) ? `_${short}` : short
}

/**
 * A stem without `_MP` or `.MP` at its end, which becomes part of the name again; also before the number of a copy.
 * @example withoutPhotoMark('IMG_1_MP') // 'IMG_1'
 */
export function withoutPhotoMark(stem: string): string {
  return stem.replace(/(?:[._]MP)+( ?\(\d+\))?$/i, '$1')
}
