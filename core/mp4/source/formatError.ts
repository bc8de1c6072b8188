/**
 * Every way in which a file or a part is refused, of movies and photos. A new code does not compile until each user maps it.
 * - `empty`: there are no bytes
 * - `unknown-format`: the file is of another kind than what is asked for
 * - `no-video`: a photo without a clip, or with one that was cut off
 * - `no-live-photo`: no pair of a photo and its video
 * - `compressed`: the ZIP has to be unpacked first, see `openUnpacked`
 * - `damaged`: what is needed is cut or contradicts itself
 * - `too-large`: it would need more memory than is spent on it
 * - `too-many-parts`: it has more parts than any real file
 * - `irreparable`: a repair is not possible without encoding anew
 * - `invalid-part`: what was given to be written is not as described
 */
export type FormatErrorCode =
  | 'empty'
  | 'unknown-format'
  | 'no-video'
  | 'no-live-photo'
  | 'compressed'
  | 'damaged'
  | 'too-large'
  | 'too-many-parts'
  | 'irreparable'
  | 'invalid-part'

/**
 * What this package and `core/formats` throw for a file or a part that they refuse. `detail` is a sentence for people that says what to
 * do next; what only a developer understands is in `cause`.
 * @example
 * try {
 *   readNow(inspect({ size: bytes.length }), bytes)
 * } catch (error) {
 *   if (error instanceof FormatError && error.code === 'no-video') console.log(error.detail)
 * }
 */
export class FormatError extends Error {
  readonly code: FormatErrorCode
  readonly detail: string

  constructor(code: FormatErrorCode, detail: string, options?: { readonly cause?: unknown }) {
    super(detail, options)
    this.name = 'FormatError'
    this.code = code
    this.detail = detail
  }
}
