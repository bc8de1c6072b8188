import { draw, startPage } from '../shared/startPage'
import { InvitationPage, say } from './InvitationPage'

startPage(() => say('title'))
draw(<InvitationPage />)
// Another link may be opened in the same tab.
addEventListener('hashchange', () => location.reload())
