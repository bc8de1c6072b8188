/**
 * A name from outside, safe to show: control characters could rewrite the terminal, and others its direction or lines.
 */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '?')
}
