import { startNodeHost } from '../../support/hosts'
import { mediaSuite } from './mediaSuite'

mediaSuite('the Node host', startNodeHost)
