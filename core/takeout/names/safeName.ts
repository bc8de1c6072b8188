/** Names of devices, to which Windows writes no file. */
const RESERVED = /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i
/** Bytes in UTF-8. File systems allow 255, of which numbers and endings need some. */
const MAX_BYTES = 180

/**
 * A name as a file or folder of any system may be called: it leads nowhere else.
 * @example safeName('../Sea: 2020?') // '.._Sea_ 2020_'
 */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replaceAll(/[<>:"/\\|?*\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '_')
    .replaceAll(/[. ]+$/g, '')
  const ending = /\.[^.]{1,8}$/u.exec(plain)?.[0] ?? ''
  const stem = cutTo(plain.slice(0, plain.length - ending.length), MAX_BYTES)
  const whole = stem + ending
  if (/^\.*$/.test(whole)) return '_'
  return RESERVED.test(whole) ? `_${whole}` : whole
}

function cutTo(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}
