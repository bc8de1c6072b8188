/** Byte ranges and conditions of HTTP, for resources that never change. */

/**
 * Decides the answer to a `Range` header. Several ranges and malformed ones are ignored, as the standard allows.
 * @param ifRange the `If-Range` header: the range holds only for exactly this strong entity tag
 * @param resource.size of the resource in bytes
 * @param resource.etag of the resource, with its quotation marks
 * @returns `whole`, `unsatisfiable`, or a `part` from the byte at `start` to the one at `end`, which belongs to it
 * @see RFC 9110, section 14
 * @example answerRange('bytes=0-99', undefined, { size: 5000, etag: '"a1"' }) // { kind: 'part', start: 0, end: 99 }
 */
export function answerRange(
  range: string | undefined,
  ifRange: string | undefined,
  { size, etag }: { size: number; etag: string },
) {
  const whole = { kind: 'whole' } as const
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return whole
  const asked = parseRange(range)
  if (!asked) return whole
  const start = asked.first ?? size - Math.min(asked.last, size)
  const end = asked.first === undefined ? size - 1 : Math.min(asked.last, size - 1)
  return start < size ? ({ kind: 'part', start, end } as const) : ({ kind: 'unsatisfiable' } as const)
}

/** One range of bytes, both ends included. Without `first`, `last` counts the bytes at the end of the resource. */
type AskedRange = { readonly first: number | undefined; readonly last: number }

/** @returns undefined when the header is malformed, names several ranges, or one that ends before it begins */
function parseRange(range: string): AskedRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range.replaceAll(/[ \t]/g, '')) ?? []
  if (first === '') return last === '' ? undefined : { first: undefined, last: Number(last) }
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  return end < Number(first) ? undefined : { first: Number(first), last: end }
}

/**
 * Whether an `If-None-Match` header names this entity tag (compared weakly, as the standard requires).
 * @param etag with its quotation marks
 * @example if (matchesETag(request.headers.get('If-None-Match') ?? undefined, etag)) return new Response(null, { status: 304 })
 */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const strong = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag))
}
