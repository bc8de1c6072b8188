import { startDirectHost } from '../../support/directHost'
import { mediaSuite } from './mediaSuite'

mediaSuite('the app', startDirectHost)
