package contract

// The locations of published images: each function as ImageRegistry/FUNCTION:ImageTag. tools/images reads both from
// here.
const (
	ImageRegistry = "ghcr.io/resource-plugins"
	ImageTag      = "v0.1.0"
)

// RuntimeImage is the image of the helpers in rendered Pods, and of the program that installs and removes packages.
const RuntimeImage = ImageRegistry + "/runtime:" + ImageTag

// UnpackerImage is the image of the program that unpacks packages.
const UnpackerImage = ImageRegistry + "/unpacker:" + ImageTag
