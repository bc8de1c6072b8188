import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openDirectTarget } from '#support/room/roomTargets'
import { roomSuite } from './roomSuite'

const { roomNetwork } = createMemoryNetwork()
roomSuite('the app itself', (settings) => openDirectTarget(roomNetwork, settings))
