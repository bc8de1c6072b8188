import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openServedTarget } from '#support/room/roomTargets'
import { roomSuite } from './roomSuite'

const { roomNetwork } = createMemoryNetwork()
roomSuite('over sockets', (settings) => openServedTarget(roomNetwork, settings))
