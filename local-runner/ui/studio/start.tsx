import { effect } from '@preact/signals'
import { draw } from '../shared/draw'
import { followLanguage } from '../shared/followLanguage'
import { App } from './App'
import { say } from './texts'

followLanguage()
effect(() => {
  document.title = say('title')
})
draw(<App />)
