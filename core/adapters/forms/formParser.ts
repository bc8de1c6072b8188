import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ServiceError } from '@lantern-room/base'
import { abortable, raceSignal } from '@lantern-room/base/async'
import busboy, { type Busboy } from 'busboy'
import { brokenForm, crowdedForm, cutForm, noForm } from './formErrors'

const MAX_FIELDS = 20
const MAX_FIELD_BYTES = 4096
const MAX_FILES = 5

export type FormEvents = {
  /** Names come from clients and may be anything, `__proto__` for example. */
  onField(name: string, value: string): void
  /** @returns whether the content is read; otherwise it is discarded */
  onFile(name: string, content: Readable, fileName: string | undefined): boolean
  onError(error: ServiceError): void
}

/** @throws ServiceError `invalid-request` when the content type names no usable boundary */
export function formParser(contentType: string, { onField, onFile, onError }: FormEvents): Busboy {
  const parser = startParser(contentType)
  // The name of a part without one is undefined, contrary to the types.
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (valueTruncated) onError(crowdedForm(`a field of more than ${MAX_FIELD_BYTES} bytes`))
    else if (name !== undefined) onField(name, value)
  })
  parser.on('file', (name: string | undefined, content, { filename }: { filename?: string }) => {
    // A cut body fails here, too, even if the content is not read.
    content.on('error', () => undefined)
    if (name === undefined || !onFile(name, content, filename)) content.resume()
  })
  parser.on('fieldsLimit', () => onError(crowdedForm(`more than ${MAX_FIELDS} fields`)))
  parser.on('filesLimit', () => onError(crowdedForm(`more than ${MAX_FILES} files`)))
  parser.on('partsLimit', () => onError(crowdedForm('too many parts')))
  parser.on('error', (error) => onError(parserError(error)))
  return parser
}

/** Feeds a whole body to the parser, one chunk after the other, and waits until all of its files have been read. */
export async function parse(
  body: AsyncIterable<Uint8Array>,
  parser: Busboy,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of abortable(body, signal)) {
    // The chunk is not taken while a file waits for the disk, and never when the disk has failed.
    await raceSignal(write(parser, chunk), signal)
  }
  parser.end()
  await finished(parser, { signal, readable: false }).catch((error: unknown) => {
    throw parserError(error)
  })
}

function startParser(contentType: string): Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      // As browsers and curl send names.
      defParamCharset: 'utf8',
      limits: {
        fields: MAX_FIELDS,
        // busboy reports a value of exactly the limit as truncated.
        fieldSize: MAX_FIELD_BYTES + 1,
        files: MAX_FILES,
        parts: MAX_FIELDS + MAX_FILES + 1,
      },
    })
  } catch (error) {
    throw noForm(error)
  }
}

/**
 * Waits until the parser has taken the chunk, so that it never works on a queued one. An error that it throws (it does,
 * at some inputs) is then thrown here and not into the event loop.
 */
function write(parser: Busboy, chunk: Uint8Array): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()))
  }).catch((error: unknown) => {
    throw parserError(error)
  })
}

/** busboy's messages for a body that ends too early, wherever that was. */
const CUT = /^Unexpected end of (?:form|file)$/

function parserError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return error instanceof Error && CUT.test(error.message) ? cutForm(error) : brokenForm(error)
}
