import { startRoomProcess } from '../../support/roomTargets'
import { roomSuite } from './roomSuite'

roomSuite('the program as it is built, on its real network', startRoomProcess)
