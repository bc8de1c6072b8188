import { createMemoryNetwork } from '#support/network/memoryOverlay'
import { openDirectTarget } from '#support/room/roomTargets'
import { roomSuite } from './roomSuite'

const { overlay } = createMemoryNetwork()
roomSuite('the app itself', (settings) => openDirectTarget(overlay, settings))
