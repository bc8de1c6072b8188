import { useState } from 'preact/hooks'
import { Button } from '../../shared/Button'
import { FPS, frameOfTime, HANDLES, type Handle, move, shownTime } from '../photo/cut'
import { cut, type Opened, setCut } from '../state/store'
import { say } from '../words/texts'

/** The three moments, to be typed, or moved by a frame. */
export function Times(props: { readonly video: Opened; readonly onSeek: (frame: number) => void }) {
  const { frames } = props.video
  const put = (handle: Handle, to: number) => {
    setCut(move(cut.value, handle, to, frames), frames)
    props.onSeek(handle === 'end' ? cut.value.end - 1 : cut.value[handle])
  }
  return (
    <div class="moments">
      {HANDLES.map((handle) => (
        <div key={handle} class="moment">
          <Time handle={handle} put={put} />
          <Button
            label="−"
            size="small"
            name={say('frameBack', say(handle))}
            act={() => put(handle, cut.value[handle] - 1)}
          />
          <Button
            label="+"
            size="small"
            name={say('frameOn', say(handle))}
            act={() => put(handle, cut.value[handle] + 1)}
          />
        </div>
      ))}
    </div>
  )
}

function Time(props: { readonly handle: Handle; readonly put: (handle: Handle, to: number) => void }) {
  const { handle, put } = props
  const shown = shownTime(cut.value[handle] / FPS, 2)
  // What is being typed, until the moment is another one.
  const [typed, setTyped] = useState({ text: shown, over: shown })
  return (
    <label>
      <span>{say(handle)}</span>
      <input
        inputMode="decimal"
        value={typed.over === shown ? typed.text : shown}
        onInput={({ currentTarget }) => setTyped({ text: currentTarget.value, over: shown })}
        onChange={({ currentTarget }) => {
          const frame = frameOfTime(currentTarget.value)
          // What is no time becomes again what it was.
          setTyped({ text: shown, over: shown })
          if (frame !== undefined) put(handle, frame)
        }}
      />
    </label>
  )
}
