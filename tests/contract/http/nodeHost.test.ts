import { startNodeHost } from '#support/hosts/hosts'
import { mediaSuite } from './mediaSuite'

mediaSuite('the Node host', startNodeHost)
