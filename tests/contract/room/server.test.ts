import { createMemoryNetwork } from '#support/network/memoryOverlay'
import { openServedTarget } from '#support/room/roomTargets'
import { roomSuite } from './roomSuite'

const { overlay } = createMemoryNetwork()
roomSuite('over sockets', (settings) => openServedTarget(overlay, settings))
