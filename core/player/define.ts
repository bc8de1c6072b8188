import { defineMotionPhoto } from './defineMotionPhoto'

// For pages that load one file: its import is all that they write.
defineMotionPhoto()
