import { startProcessTarget } from '#support/room/roomTargets'
import { roomSuite } from './roomSuite'

roomSuite('the program as it is built, on its real network', startProcessTarget)
