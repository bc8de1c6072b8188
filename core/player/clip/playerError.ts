/**
 * Why a picture or its clip cannot be shown.
 * - `no-clip`: a plain picture, or no picture at all
 * - `damaged`: a motion photo whose clip is cut off or incomplete
 * - `changed`: the file became another one while it was read, twice
 * - `clip-format`: the browser does not play this clip, such as HEVC without a decoder for it
 * - `picture-format`: the browser does not show this picture, such as HEIC outside of Safari
 * - `unreachable`: no answer: the network, or a policy of the page
 * - `cors`: the other site does not let this page read the file
 * - `refused`: the server has answered with an error, whose number is `status`
 * - `too-large`: it would take more memory than is spent on it
 * - `not-allowed`: the browser lets nothing play
 */
export type PlayerErrorCode =
  | 'no-clip'
  | 'damaged'
  | 'changed'
  | 'clip-format'
  | 'picture-format'
  | 'unreachable'
  | 'cors'
  | 'refused'
  | 'too-large'
  | 'not-allowed'

/** What is thrown inside of this package; the element tells of it by an event. */
export class PlayerError extends Error {
  readonly code: PlayerErrorCode
  /** Of HTTP, with `refused`. */
  readonly status: number | undefined

  constructor(code: PlayerErrorCode, options: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(code, { cause: options.cause })
    this.name = 'PlayerError'
    this.code = code
    this.status = options.status
  }
}
