/** Byte ranges and conditions of HTTP, for resources that never change. */

export type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

/**
 * What to answer to a `Range` header. Several ranges and malformed ones are ignored, as the standard allows.
 * @param size of the resource in bytes
 * @param ifRange the `If-Range` header: the range holds only for exactly this strong entity tag
 * @see RFC 9110, section 14
 */
export function answerRange(
  range: string | undefined,
  ifRange: string | undefined,
  { size, etag }: { size: number; etag: string },
): RangeAnswer {
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return { kind: 'whole' }
  const match = /^bytes=(\d*)-(\d*)$/i.exec(range.replaceAll(/[ \t]/g, ''))
  const [, first = '', last = ''] = match ?? []
  if (!match || (first === '' && last === '')) return { kind: 'whole' }
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length > 0 ? { kind: 'part', start: size - length, end: size - 1 } : { kind: 'unsatisfiable' }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  return start < size ? { kind: 'part', start, end } : { kind: 'unsatisfiable' }
}

/** Whether an `If-None-Match` header names this entity tag (compared weakly, as the standard wants). */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const strong = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag))
}
