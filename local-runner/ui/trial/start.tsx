import { Page } from '../shared/Page'
import { draw, startPage } from '../shared/startPage'
import { PhoneForm } from './PhoneForm'
import { load, problem, view } from './store'
import { differsOf, say } from './texts'
import { VariantCard } from './VariantCard'

startPage(() => say('title'))
draw(<Trial />)
void load()

function Trial() {
  return (
    <Page title={say('title')} mark={<Mark />} note={<p>{say('footer')}</p>}>
      {view.value === undefined ? (
        <p class="card quiet">{problem.value === undefined ? say('loading') : say('notLoaded')}</p>
      ) : (
        <>
          <p>{say('lead')}</p>
          <PhoneForm />
          <Problem />
          <ol class="variants">
            {view.value.variants.map((variant, index) => (
              <VariantCard key={variant.id} variant={variant} place={index + 1} />
            ))}
          </ol>
          <LeftOut />
          <Links />
        </>
      )}
    </Page>
  )
}

function Problem() {
  const { kind, detail } = problem.value ?? {}
  return (
    <div class="problem-place" role="alert">
      {kind !== undefined && (
        <p class="banner">
          {say(kind)} {detail !== '' && <small lang="en">{detail}</small>}
        </p>
      )}
    </div>
  )
}

function LeftOut() {
  const leftOut = view.value?.left_out ?? []
  if (leftOut.length === 0) return null
  return (
    <section class="card stack">
      <h2>{say('leftOut')}</h2>
      <ul class="plain">
        {leftOut.map(({ id, reason }) => (
          <li key={id}>
            {differsOf(id)} <small lang="en">{reason}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Links() {
  return (
    <details class="card">
      <summary>
        <h2>{say('link')}</h2>
      </summary>
      <ul class="plain qr">
        {view.value?.links.map(({ url, svg }) => (
          <li key={url}>
            <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={say('qr')} />
            <p class="hint" translate={false}>
              {url}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-back" />
      <circle cx="16" cy="16" r="8.500" fill="none" stroke="#fff" stroke-width="2.500" />
      <path d="M12 16l3 3 5-6" fill="none" stroke="#fff" stroke-width="2.500" />
    </svg>
  )
}
