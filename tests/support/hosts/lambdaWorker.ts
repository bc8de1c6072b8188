import { pathToFileURL } from 'node:url'
import { lambdaContext } from './lambdaEvents'
import type { Call, Reply } from './lambdaProcess'
import { invokeStreaming, lambdaRuntime } from './lambdaRuntime'

// Lambda's runtime in a process of its own: loads one built handler and calls it with events that come as messages.

globalThis.awslambda = lambdaRuntime
const { [process.argv[3] ?? '']: handler } = await import(pathToFileURL(process.argv[2] ?? '').href)

process.on('message', ({ event, remainingMs }: Call) => {
  void call(event, remainingMs).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ failed: String(error) } satisfies Reply),
  )
})
process.send?.({ loaded: true } satisfies Reply)

async function call(event: unknown, remainingMs: number): Promise<Reply> {
  const context = lambdaContext(remainingMs)
  if (Object.getOwnPropertySymbols(handler).length === 0) return { result: await handler(event, context) }
  const { body, brokenBy, ...head } = await invokeStreaming(handler, event, context)
  const broken = brokenBy === undefined ? {} : { brokenBy: String(brokenBy) }
  return { streamed: { ...head, ...broken, base64: body.toString('base64') } }
}
