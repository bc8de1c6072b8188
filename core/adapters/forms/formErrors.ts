import { ServiceError } from '@lantern-room/base'

export const noForm = refusal('Send a multipart/form-data body with the file in the field "file".')
export const brokenForm = refusal(
  'The form cannot be read: it is not valid multipart/form-data. Send it again.',
)
export const cutForm = refusal('The upload ended before it was complete. Send the file again.')

export function stalledUpload(idleMs: number): ServiceError {
  return refusal(`No byte of the upload has arrived for ${idleMs / 1000} s. Send the file again.`)()
}

export function crowdedForm(what: string): ServiceError {
  return refusal(`The form has ${what}. Send only the fields that are described.`)()
}

export function textAsFile(field: string): ServiceError {
  return refusal(`The field "${field}" was sent as a file. Send it as text: a part without a file name.`)()
}

export function tooLong(bytes: number): ServiceError {
  const detail = `The body is longer than the ${bytes} bytes that were announced. Announce the file again, with its size.`
  return new ServiceError('payload-too-large', detail)
}

export function tooLarge(maxFileBytes: number, field = 'file'): ServiceError {
  const what = field === 'file' ? 'The file' : field
  const detail = `${what} is larger than ${maxFileBytes} bytes, the most that this service takes. Send a shorter or smaller one.`
  return new ServiceError('payload-too-large', detail)
}

function refusal(detail: string): (cause?: unknown) => ServiceError {
  return (cause) => new ServiceError('invalid-request', detail, { cause })
}
