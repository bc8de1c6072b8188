import { whenPainted } from '../shared/whenPainted'

// Nothing of the page runs before its frame is painted.
whenPainted(() => void import('./start'))
