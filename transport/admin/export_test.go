package admin

import "github.com/gofiber/fiber/v2"

// Routes returns the routes of the server, without those of middleware.
func (s *Server) Routes() []fiber.Route { return s.app.GetRoutes(true) }
