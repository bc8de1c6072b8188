import type { Settings } from './serverProcess'

/** Settings of a Node process whose clock is wrong. @param aheadMs negative for a clock that is behind */
export function clockAhead(aheadMs: number): Settings {
  const script = `const Real = Date
globalThis.Date = class extends Real {
  constructor(...given) { given.length === 0 ? super(Real.now() + ${aheadMs}) : super(...given) }
  static now() { return Real.now() + ${aheadMs} }
}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}
