import { createMemoryNetwork } from '../../support/memoryOverlay'
import { openDirectTarget } from '../../support/roomTargets'
import { roomSuite } from './roomSuite'

const { overlay } = createMemoryNetwork()
roomSuite('the app itself', (settings) => openDirectTarget(overlay, settings))
