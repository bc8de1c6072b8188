import { startProcessTarget } from '#support/room/roomTargets'
import { accessCases } from './accessCases'
import { guestCases } from './guestCases'
import { hostCases } from './hostCases'
import { roomSuite } from './roomSuite'
import { savedCases } from './savedCases'

// What a network, a disk or a socket has a part in. The rest is the same code as in the app.
roomSuite('the program as it is built, on its real network', startProcessTarget, [
  hostCases,
  guestCases,
  savedCases,
  accessCases,
])
