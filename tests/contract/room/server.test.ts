import { createMemoryNetwork } from '../../support/memoryOverlay'
import { openServedTarget } from '../../support/roomTargets'
import { roomSuite } from './roomSuite'

const { overlay } = createMemoryNetwork()
roomSuite('over sockets', (settings) => openServedTarget(overlay, settings))
