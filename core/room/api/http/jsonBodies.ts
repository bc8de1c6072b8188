import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { parseJson } from '#core/bytes'
import { ServiceError } from '#core/errors'

const MAX_BODY = 64 * 1024

/** Refuses bodies that are not JSON or too large. The middlewares throw ServiceError in this order: 415, 413, 400. */
export function jsonBodies(): readonly MiddlewareHandler[] {
  return [
    async (context, next) => {
      if (context.req.method === 'POST') refuseOtherThanJson(context)
      await next()
    },
    bodyLimit({
      maxSize: MAX_BODY,
      onError: () => {
        throw new ServiceError('payload-too-large', `The body must not be larger than ${MAX_BODY} bytes.`)
      },
    }),
    async (context, next) => {
      if (context.req.method === 'POST' && context.req.header('Content-Type')) await checkJson(context)
      await next()
    },
  ]
}

/** A body of another type would be ignored silently, and defaults used in its place. */
function refuseOtherThanJson({ req }: Context): void {
  const length = req.header('Content-Length')
  const hasBody = length === undefined ? req.header('Transfer-Encoding') !== undefined : length !== '0'
  const type = req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (hasBody && type !== 'application/json') {
    throw new ServiceError('unsupported-media', 'Send the body as JSON, with Content-Type: application/json.')
  }
}

/** Some clients send a Content-Type without a body: that is a request without fields. */
async function checkJson({ req }: Context): Promise<void> {
  const text = await req.text()
  if (text.trim() === '') {
    // Hono's cache holds promises, although its type says otherwise.
    Object.assign(req.bodyCache, { text: Promise.resolve('{}') })
    return
  }
  if (parseJson(text) === undefined) {
    throw new ServiceError('invalid-request', 'The body is not JSON: send an object, at least {}.')
  }
}
