/** What other packages may use. @see core/base/README.md */

export { bothOrNone } from './bothOrNone'
export { type Alarm, type Clock, createAlarm, sleep } from './clock'
export { withDeadline, within } from './deadline'
export { createDeferred, type Deferred, handled } from './deferred'
export { createEmitter, type Emitter } from './emitter'
export { abortable, onAbort, raceSignal, untilAborted } from './onAbort'
export { createRemembered } from './remembered'
export { repeat } from './repeat'
export { createSingleFlight } from './singleFlight'
export { createThrottle } from './throttle'
