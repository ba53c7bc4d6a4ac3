package book

import "venuegate/actors"

type Client struct{ ref actors.Ref }
type resyncTopic struct{ subscription *subscription }
type closeTopic struct{ subscription *subscription }
