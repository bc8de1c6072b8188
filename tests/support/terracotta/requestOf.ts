import { text } from '../values/bytes'

/** The bytes of a step of a guest in tests/fixtures/room/terracotta-dialogues.json; a body that is text has its length added. */
export function requestOf({ request, text: body }: { request: string; text?: string }): Uint8Array {
  const head = Buffer.from(request.replaceAll(' ', ''), 'hex')
  if (body === undefined) return head
  const bytes = text(body)
  return Uint8Array.of(...head, 0, 0, bytes.length >> 8, bytes.length & 0xff, ...bytes)
}
