/** Bounds of what others can use up: memory, requests in a time, and places. @see core/base/README.md */

export { addNewest, oncePer, setNewest } from './boundedMemory'
export { type Denial, decideShare, type ShareDecision, Shares, type Standing } from './shares'
export { createTokenBuckets } from './tokenBuckets'
