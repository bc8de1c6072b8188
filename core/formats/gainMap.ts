/** Gain maps: read, computed, and written again. @see core/formats/README.md */

export { headerOf } from './motionPhoto/imageHeader'
export { appleStops, computeGainMap, encodeGainMap } from './newPhoto/gainMap'
export { carryMapSegments } from './newPhoto/tagSegments'
