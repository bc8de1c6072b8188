import { startDirectHost } from '#support/hosts/directHost'
import { mediaSuite } from './mediaSuite'

mediaSuite('the app', startDirectHost)
