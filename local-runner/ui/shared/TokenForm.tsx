import { useState } from 'preact/hooks'
import { common } from './texts'
import { token, useToken } from './token'

/** Asks for the token of a service that has refused a request. */
export function TokenForm() {
  const [given, setGiven] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (given.trim() !== '') useToken(given.trim())
  }
  return (
    <form class="card narrow" onSubmit={submit}>
      <h2>{common('tokenTitle')}</h2>
      <p>{common('tokenText')}</p>
      {token.value !== undefined && (
        <p class="problem" role="alert">
          {common('tokenWrong')}
        </p>
      )}
      <label class="field">
        <span>{common('token')}</span>
        <input
          type="password"
          autoComplete="off"
          value={given}
          onInput={(event) => setGiven(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        {common('tokenUse')}
      </button>
    </form>
  )
}
